import os
import signal
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.dirname(__file__))

# a shell that starts this in the background has it ignore Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng(request):
    """Random numbers that are a test's own and always the same."""
    return np.random.default_rng(sum(map(ord, request.node.name)))
