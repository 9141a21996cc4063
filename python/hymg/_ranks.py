"""With several ranks: an exception on one of them is raised on all, and Ctrl-C waits for the end of the call."""

import contextlib
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, Optional

BYTES = 6  # of a message in a double, which has 53 bits
LONGEST = 60_000  # of an exception, in bytes; of a longer one the text is sent


def _dumped(error: BaseException) -> bytes:
    words = f"{type(error).__name__}: {error}"[:1000]
    try:
        whole = pickle.dumps(error)
    except Exception:  # whatever the caller's class does
        whole = b""
    return pickle.dumps((words, whole if len(whole) <= LONGEST else b""))


def _loaded(message: bytes, rank: int) -> BaseException:
    words, whole = pickle.loads(message)
    try:
        error = pickle.loads(whole)
    except Exception:
        error = None
    if not isinstance(error, BaseException):
        return RuntimeError(f"rank {rank}: {words}")
    if hasattr(error, "add_note"):
        error.add_note(f"raised on rank {rank}")
    return error


def agreed(
    error: Optional[BaseException], rank: int, ranks: int, largest: Callable[[float], float]
) -> Optional[BaseException]:
    """Collective: the exception of the lowest rank that has one, on every rank; None if there is none.

    largest: the largest of the numbers of all ranks, all that the library sends for its users.
    """
    first = -int(largest(-ranks if error is None else -rank))
    if first == ranks:
        return None
    message = _dumped(error) if error is not None and rank == first else b""
    size = int(largest(len(message)))
    message = message.ljust(-(-size // BYTES) * BYTES, b"\0")
    parts = [message[at : at + BYTES] for at in range(0, len(message), BYTES)]
    sent = [int(largest(int.from_bytes(part, "big"))).to_bytes(BYTES, "big") for part in parts]
    return error if rank == first else _loaded(b"".join(sent)[:size], first)


class Interrupts:
    """Ctrl-C while it is held back: noted, and raised by `release`."""

    def __init__(self) -> None:
        self._noted: list[Any] = []
        self._handler: Any = None

    def __bool__(self) -> bool:
        return bool(self._noted)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Only in the main thread, where Python runs the handlers of signals."""
        self._handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(self._handler):
            yield
            return
        signal.signal(signal.SIGINT, lambda *signals: self._noted.append(signals))
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, self._handler)
            self.release()

    def release(self) -> None:
        """Calls the handler for what was noted, which may raise KeyboardInterrupt."""
        if self._noted:
            signals = self._noted.pop()
            self._noted.clear()
            self._handler(*signals)
