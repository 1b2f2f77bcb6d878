"""The offline provider: rules that stand in for a model, without a key, a network or chance."""
