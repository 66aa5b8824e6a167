"""All calls of one namespace at a time: stdin JSON list, stdout JSON list."""
import json, os, socket, subprocess, sys, threading, time
calls = json.load(sys.stdin)
res = {}


def one(c):
    r = {}
    t = time.time()
    if c["proto"] == "icmp":
        a = ["ping"] + (["-6"] if ":" in c["dst"] else []) + ["-n", "-c", "1", "-W", str(c["timeout"]), c["dst"]]
        p = subprocess.run(a, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        out = p.stdout
        r["output"] = out
        r["result"] = "answered" if "1 received" in out else "error" if any(w in out for w in ("nreachable", "rohibited", "needed", "local error",
                "too big", "iltered", "not permitted", "xceeded", "Invalid argument")) else "timeout"
    else:
        fam = socket.AF_INET6 if ":" in c["dst"] else socket.AF_INET
        s = socket.socket(fam, socket.SOCK_STREAM if c["proto"] == "tcp" else socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("::" if fam == socket.AF_INET6 else "0.0.0.0", c["sport"]))
            s.settimeout(c["timeout"])
            s.connect((c["dst"], c["port"]))
            r["local"] = s.getsockname()[0]
            s.sendall(c["marker"].encode())
            r["reply"] = s.recv(256).decode("latin1").strip()
            r["result"] = "answered" if r["reply"] else "closed"
        except socket.timeout:
            r["result"] = "timeout"
        except OSError as e:
            r["result"] = "error"
            r["errno"] = os.strerror(e.errno) if e.errno else str(e)
        s.close()
    r["took"] = round(time.time() - t, 2)
    res[c["id"]] = r
ts = [threading.Thread(target=one, args=(c,)) for c in calls]
for i, t in enumerate(ts):
    t.start()
    if len(calls) > 1:
        time.sleep(0.02)
for t in ts:
    t.join()
print(json.dumps(res))
