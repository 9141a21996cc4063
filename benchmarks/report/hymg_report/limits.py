"""How fast a solve can be at most by its own record: from the bytes that its operations declare, the measured copy, and
the caches. docs/records.md ("Rates") gives the reasons for each number; all are chosen so that no real run comes near."""
import math

TOLERANCE = 1.1      # of the whole bound
THREAD_RATE = 200e9  # bytes per second that a thread declares at most, were all in its caches
GPU_RATE = 32e12     # ... and a GPU
HOST_MEMORY = 3.0    # times the copy: 1.5 where it also reads what it writes, 2 for a copy that others disturbed
GPU_MEMORY = 1.5     # times the copy: 1.15, since reads are faster than writes, and 1.3 for a disturbed copy
THREAD_CACHE = 4e6   # bytes of cache that a thread may have besides one as large as the copied arrays
GPU_CACHE = 256e6    # bytes of a GPU's second-level cache
COPY_BYTES = 1e8     # a copy of less may be in caches or too short, and says nothing of the memory
GPU_SWEEPS = 2       # sweeps of a GPU's pass over memory at most; on a CPU all sweeps of a call may share one
SMALL_CELLS = 32**3     # levels of more cells are in single precision, if any are
SMOOTHED = ("smooth", "smooth+restrict")


def cells(level):
    return math.prod(level["cells"])


def of_all_ranks(level):
    """By how much a row of rank 0 is multiplied. Rank 0 may have one box more than others, so this is rather too small."""
    boxes, ranks = level["boxes"], level["ranks"]
    return min(ranks, boxes / math.ceil(boxes / ranks)) if boxes > ranks else ranks


def distinct_bytes(record, level):
    """What any smoother call must read or write of a level: u, f, three betas where they vary, FV4's 1/diagonal, which
    single precision does without."""
    variable, double = record["config"]["coefficients"] == "variable", record["config"]["precision"] == "double"
    arrays = 2 + 3 * variable + (variable and double and record["config"]["operator"] == "fv4")
    return (8 if double or cells(level) <= SMALL_CELLS else 4) * arrays * cells(level)


def threads_of(record, level):
    """Threads of the ranks that hold cells of a level."""
    each = max(record["threads"], sum(node["threads"] for node in record["machine"]["nodes"]) / record["ranks"])
    return each * level["ranks"]


def cache_seconds(record, level, declared):
    """Were all of it in caches."""
    if level["backend"] != "cuda":
        return declared / (THREAD_RATE * threads_of(record, level))
    return declared / (GPU_RATE * min(level["ranks"], len(record["machine"]["gpus"]) or 1))


def memory_seconds(record, level, calls):
    """What smoother calls cannot have found in caches, by the rate of the copy; 0 where that is not known."""
    copy, gpus = record["bandwidth"], len(record["machine"]["gpus"])
    on_gpu = level["backend"] == "cuda"
    if not copy or copy["bytes"] < COPY_BYTES or on_gpu != (copy["space"] == "device"):
        return 0
    if on_gpu:
        used = min(level["ranks"], gpus or 1)
        passes = max(1, record["config"]["sweeps"] // GPU_SWEEPS)
        cache, rate = GPU_CACHE * used, GPU_MEMORY * copy["bytes_per_second"] * used / (gpus or 1)
    else:
        passes = 1
        cache = copy["bytes"] + THREAD_CACHE * threads_of(record, level)
        rate = HOST_MEMORY * copy["bytes_per_second"]
    return calls * passes * max(0, distinct_bytes(record, level) - cache) / rate


def solve(record, size):
    """Declared bytes of one solve of a size (0: h), all ranks, and the least seconds that it can have taken."""
    declared = seconds = 0
    for row in record["breakdown"]:
        n = row["level"]
        if not size <= n < len(record["levels"]):
            continue
        level = record["levels"][n]
        share = (n + 1 - size) / (n + 1)  # an F-cycle visits level n once for each size from n's up to its own
        of_row = share * row["bytes"] * of_all_ranks(level)
        calls = share * row["calls"] if row["verb"] in SMOOTHED else 0
        declared += of_row
        seconds += max(cache_seconds(record, level, of_row), memory_seconds(record, level, calls))
    return declared, seconds


def sizes(record):
    """Sizes whose solves the breakdown tells: all of an F-cycle, else the finest, with whose cycles it was made."""
    return range(len(record["runs"]) if record["config"]["solver"] == "fmg" else 1)
