"""`multi_turn`: the turns that an entry gives, one after the other in one conversation."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from sensei_kumite.dynamic.contract import ModuleTag, Turn
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.dialogues import Dialogues
from sensei_kumite.dynamic.objective import user_turns
from sensei_kumite.dynamic.search import DYNAMIC_ATTACKS, Search, SearchContext, SearchOptions, Tries


class MultiTurnOptions(SearchOptions):
    """Which answers count."""

    judge: Literal["all", "last"] = Field(
        "all",
        description="Which answers are judged: all (the first breach ends it), or only the last one.",
    )


@DYNAMIC_ATTACKS.register("multi_turn")
class MultiTurn(Search[MultiTurnOptions]):
    """Succeeds when the target gives in at one of the turns, or at the last one."""

    description = "Plays the given turns in one conversation, in their order."
    tags = (ModuleTag.MULTI,)
    turns = Turn.MULTI
    plays_turns = True
    Options: ClassVar = MultiTurnOptions

    def run(
        self,
        entry: dict[str, Any],
        tries: Tries,
        options: MultiTurnOptions,
        context: SearchContext,  # noqa: ARG002
    ) -> StandardisedConversation:
        """Send as many turns as there may be; a target that fails at one is not asked the next."""
        given = user_turns(entry)
        played = given[: tries.left]
        dialogues = Dialogues(tries)
        dialogue = dialogues.open()
        for number, text in enumerate(played, 1):
            is_judged = options.judge == "all" or number == len(played)
            attempt = dialogue.say(text, judged=is_judged).attempt
            if attempt.success or attempt.error:
                break
            if number == len(played) < len(given):
                attempt.error = f"Only {number} of {len(given)} turns were played, for want of iterations."
        return dialogues.graph
