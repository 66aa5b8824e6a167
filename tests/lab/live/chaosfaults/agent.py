"""All calls of one namespace at a time: stdin JSON list, stdout JSON list."""
import json, os, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peer

ERRORS = ("nreachable", "rohibited", "needed", "local error", "too big", "iltered", "not permitted", "xceeded", "Invalid argument")


def ping(c):
    argv = ["ping"] + (["-6"] if ":" in c["dst"] else []) + ["-n", "-c", "1", "-W", str(c["timeout"]), c["dst"]]
    if c.get("size"):
        argv += ["-M", "do", "-s", str(c["size"] - (48 if ":" in c["dst"] else 28))]
    out = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    return {"output": out, "result": "answered" if "1 received" in out else "error" if any(w in out for w in ERRORS) else "timeout"}


def one(c):
    results[c["id"]] = ping(c) if c["proto"] == "icmp" else peer.call(c["proto"], c["dst"], c["port"], c["sport"], c["marker"], c["timeout"])


calls, results = json.load(sys.stdin), {}
threads = [threading.Thread(target=one, args=(c,)) for c in calls]
for t in threads:
    t.start()
    if len(calls) > 1:
        time.sleep(0.02)
for t in threads:
    t.join()
print(json.dumps(results))
