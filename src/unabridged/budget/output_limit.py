"""The limit on the answer that is sent to the upstream."""


def output_limit(
    *,
    window: int,
    prompt: int,
    margin: int,
    cap: int | None = None,
    hosted: bool = False,
    asked: int | None = None,
) -> int | None:
    """Give ``num_predict`` or ``max_tokens`` for a request (design, section 5, last paragraph).

    The answer's share of the budget is room kept free, not a limit: all that the prompt leaves may
    be used.

    Args:
        window: Tokens that prompt and answer may take together.
        prompt: Planned tokens of the prompt.
        margin: Tokens kept for counting errors.
        cap: The most that the model can put out, or None where unknown.
        hosted: Whether the server is a hosted one, which refuses limits above its cap.
        asked: The limit that the caller set; it is passed on as it is.

    Returns:
        Tokens, at least 1; or None where no limit shall be sent.
    """
    if asked is not None:
        return asked
    if cap is None and hosted:
        return None
    room = max(1, window - prompt - margin)
    return room if cap is None else min(room, cap)
