"""A chatbot for a LangGraph Agent Server: says how many messages it had in this thread, and repeats them."""

from langchain_core.messages import AIMessage
from langgraph.graph import MessagesState, StateGraph


def reply(state: MessagesState) -> dict[str, list[AIMessage]]:
    heard = [str(message.content) for message in state["messages"] if message.type == "human"]
    return {"messages": [AIMessage(f"Message {len(heard)} here. You said: {' | '.join(heard)}")]}


graph = StateGraph(MessagesState).add_node(reply).set_entry_point("reply").compile()
