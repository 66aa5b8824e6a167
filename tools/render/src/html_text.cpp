#include "html_text.h"

#include <fmt/format.h>

#include "egtrace/base/sha256.h"
#include "egtrace/render/printable.h"

namespace egt::render {

std::string escape_html(std::string_view dumped) {
  const std::string text = with_visible(dumped);
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default:
        if ((u < 0x20 && c != '\n' && c != '\t') || u == 0x7f) out += "\xef\xbf\xbd";
        else out += c;
    }
  }
  return out;
}

std::string_view page_style() {
  return R"css(
:root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1c2430;--soft:#5b6675;--line:#d5dae1;--rail:#9fb0c6;
--good:#1a7f4b;--good-bg:#e2f5ea;--bad:#c0302b;--bad-bg:#fdeaea;--doubt:#8a5a00;--doubt-bg:#fdf2d8;--mark:#fff0b8;--code:#f0f2f5;
--tunnel:#6a4fb3;--tunnel-bg:#efeafb;--accent:#1f5fbf}
@media (prefers-color-scheme:dark){:root{--paper:#12161c;--card:#1b2129;--ink:#e4e9f0;--soft:#98a4b3;--line:#313a46;--rail:#52637a;
--good:#56d491;--good-bg:#15331f;--bad:#ff8078;--bad-bg:#3d1a1a;--doubt:#f0b849;--doubt-bg:#38290a;--mark:#574709;--code:#12161c;
--tunnel:#b9a3f5;--tunnel-bg:#2a2145;--accent:#7fb0f5}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:54rem;margin:0 auto;padding:1.25rem 1rem 4rem}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em}
h1{font-size:1.35rem;line-height:1.35;margin:.6rem 0 .8rem;font-weight:650;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2.2rem 0 .3rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
p{margin:.3rem 0;overflow-wrap:anywhere}
.lead{font-size:1.05rem;margin:0 0 .9rem;max-width:46rem}
.verdict{display:inline-block;padding:.1rem .75rem;border-radius:1rem;font-weight:650;font-size:.92rem;letter-spacing:.01em}
.good{color:var(--good);background:var(--good-bg)}.bad{color:var(--bad);background:var(--bad-bg)}.doubtful{color:var(--doubt);background:var(--doubt-bg)}
.soft{color:var(--soft)}.small{font-size:.88rem}
dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem .9rem;margin:.6rem 0 0}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0;overflow-wrap:anywhere}
nav.tools{margin:.9rem 0 0}
button{font:inherit;font-size:.88rem;color:var(--accent);background:none;border:1px solid var(--line);border-radius:.45rem;padding:.3rem .7rem;cursor:pointer}
button:hover{border-color:var(--accent)}
.map{overflow-x:auto;margin:1rem 0 .4rem;padding-bottom:.2rem}
.map svg{display:block;height:auto;max-width:100%}
.map rect{fill:var(--card);stroke:var(--line);stroke-width:1.5}
.map text{fill:var(--ink);font:600 13px system-ui,sans-serif}.map text.sub{font:10px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--soft)}
.map path{stroke:var(--rail);stroke-width:2;fill:none}.map path.tunnel{stroke:var(--tunnel);stroke-width:6;stroke-linecap:round;opacity:.55}
.map .end-good{fill:var(--good)}.map .end-bad{fill:var(--bad)}.map .end-doubtful{fill:var(--doubt)}.map .sign{stroke:#fff;stroke-width:2.5;fill:none;stroke-linecap:round}
@media (prefers-color-scheme:dark){.map .sign{stroke:#12161c}}
.machine{background:var(--card);border:1px solid var(--line);border-radius:.8rem;margin:0;padding:.75rem .9rem .8rem;overflow:hidden}
.machine>h3{margin:0 0 .5rem;font-size:1rem;font-weight:650;overflow-wrap:anywhere}
.path{list-style:none;margin:0;padding:0 0 0 1.35rem;position:relative}
.path:before{content:"";position:absolute;left:.42rem;top:.6rem;bottom:.6rem;border-left:2px solid var(--rail)}
.path>li{position:relative;padding:.28rem 0}
.path>li:before{content:"";position:absolute;left:-1.35rem;top:.72rem;width:.9rem;height:.9rem;border-radius:50%;background:var(--card);border:2px solid var(--rail)}
.path>li.device:before{background:var(--rail);width:.62rem;height:.62rem;left:-1.21rem;top:.8rem}
.path>li.station:before{border-radius:.25rem}
.path>li.stop-bad:before{background:var(--bad);border-color:var(--bad)}.path>li.stop-good:before{background:var(--good);border-color:var(--good)}
.place{font-weight:600;overflow-wrap:anywhere}
.packet{display:block;overflow-wrap:anywhere}.packet .soft{white-space:nowrap}
mark{background:var(--mark);color:inherit;border-radius:.2rem;padding:0 .15rem}
.encap{color:var(--tunnel);background:var(--tunnel-bg);border-radius:.3rem;padding:.02rem .4rem;display:inline-block}
.wire{margin:0 0 0 1.3rem;padding:.35rem 0 .35rem 1rem;border-left:2px solid var(--rail);color:var(--soft);font-size:.88rem}
.wire.tunnel{border-left:6px solid var(--tunnel);opacity:.95}
details.hop{margin:.12rem 0}
summary{cursor:pointer;overflow-wrap:anywhere;border-radius:.3rem}
summary:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
details.hop>summary{list-style:none;padding-left:1.05rem;position:relative}
details.hop>summary::-webkit-details-marker{display:none}
details.hop>summary:before{content:"\203A";position:absolute;left:.2rem;color:var(--soft);transition:transform .12s}
details.hop[open]>summary:before{transform:rotate(90deg)}
.hop .where{color:var(--soft)}
.inside{margin:.15rem 0 .5rem 1.05rem;padding-left:.7rem;border-left:2px solid var(--line)}
details.quiet>summary{color:var(--soft);font-size:.88rem;padding:.1rem 0 .1rem 1.05rem;list-style:none}
details.quiet>summary::-webkit-details-marker{display:none}
pre{margin:.2rem 0 .5rem;padding:.45rem .6rem;background:var(--code);border:1px solid var(--line);border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere}
.source{color:var(--soft);font-size:.8rem;overflow-wrap:anywhere}
ul.plain{padding-left:1.1rem;margin:.3rem 0}
table{border-collapse:collapse;font-size:.85rem;margin:.2rem 0 .5rem}td{padding:.1rem .7rem .1rem 0;vertical-align:top;overflow-wrap:anywhere}
@media (max-width:30rem){.map svg{max-width:none}body{font-size:15px}main{padding:.9rem .7rem 3rem}.machine{padding:.6rem .65rem}.inside{margin-left:.2rem}dl.facts{grid-template-columns:1fr}dl.facts dt{margin-top:.3rem}}
@media print{:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--code:#fff;--mark:#eee;--good:#14532d;--bad:#7f1d1d;--doubt:#6b4700;--rail:#777;--tunnel:#3b2a78;--tunnel-bg:#fff;--good-bg:#fff;--bad-bg:#fff;--doubt-bg:#fff}
body{font-size:10.5pt}main{max-width:none;padding:0}nav.tools{display:none}.machine>h3,.path>li{break-inside:avoid-page}.verdict{border:1px solid currentColor}details.hop::details-content{content-visibility:visible}.path>li.station{break-inside:auto}.map{overflow:visible}}
)css";
}

std::string_view page_script() {
  return R"js(
(function(){var all=document.querySelectorAll('details'),b=document.getElementById('open-all'),was;
b.addEventListener('click',function(){var open=b.getAttribute('aria-pressed')!=='true';all.forEach(function(d){d.open=open});
b.setAttribute('aria-pressed',String(open));b.textContent=open?'Close all steps':'Open all steps'});
addEventListener('beforeprint',function(){was=[].map.call(all,function(d){return d.open});all.forEach(function(d){if(!d.classList.contains('quiet'))d.open=true})});
addEventListener('afterprint',function(){if(was)all.forEach(function(d,i){d.open=was[i]})})})();
)js";
}

std::string page_policy() {
  return fmt::format("default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                     sha256_base64(page_style()), sha256_base64(page_script()));
}

}  // namespace egt::render
