"""The tests mirror `src/sensei_kumite`; `stories` run the command as people do."""
