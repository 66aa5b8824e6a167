from typing import List, Optional, Type

__version__: str

def set_errors(usage: Type[Exception], snapshot: Type[Exception]) -> None: ...

class OpenSnapshot:
    def __init__(self, path: str, dumps: List[str], at: str, jobs: Optional[int], follow_links: bool) -> None: ...
    def explain(
        self,
        from_: str,
        to: str,
        *,
        namespace: str = ...,
        network: str = ...,
        proto: str = ...,
        sport: Optional[int] = ...,
        dport: Optional[int] = ...,
        ttl: Optional[int] = ...,
        dscp: Optional[int] = ...,
        icmp_type: Optional[int] = ...,
        icmp_code: Optional[int] = ...,
        mark: Optional[int] = ...,
        smac: str = ...,
        dmac: str = ...,
        arrive_at: str = ...,
        in_dev: str = ...,
        size: Optional[int] = ...,
        df: bool = ...,
        established: bool = ...,
        no_conntrack: bool = ...,
        one_way: bool = ...,
    ) -> str: ...
    def audit(self, to: List[str], namespaces: List[str], one_way: bool) -> str: ...
    def check(self, text: str, name: str, from_objects: bool, assume_gaps: bool, baseline: str, baseline_name: str) -> str: ...
    def baseline(self, text: str, name: str, from_objects: bool, assume_gaps: bool) -> str: ...
    def triage(self, only: List[str]) -> str: ...
    def inspect(self) -> str: ...
    def lookup(self, thing: str) -> str: ...
