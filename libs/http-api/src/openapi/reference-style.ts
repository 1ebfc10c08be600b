/** Follows the reader's choice of light or dark, and folds into one column on a phone. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: #d8dde3; --soft: #f4f6f8; --link: #0b5cad; --dim: #5b6673; --get: #0a7d4f; --post: #9a5b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --line: #333b45; --soft: #1d232a; --link: #7ab8ff; --dim: #9aa6b2; --get: #4cc38a; --post: #e5a83b; --delete: #ff8a80; }
  body { background: #14181d; color: #e3e8ee; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: .9rem; }
nav h2 { font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); margin: 1.2rem 0 .3rem; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: .2rem 0; }
main { padding: 2rem clamp(1rem, 4vw, 3.5rem); max-width: 62rem; }
h1 { margin: 0 0 .5rem; }
h2 { margin: 3rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { margin: 2.5rem 0 .2rem; }
h3 a { color: inherit; }
h4 { margin: 1.2rem 0 .3rem; font-size: .8rem; letter-spacing: .05em; text-transform: uppercase; color: var(--dim); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font: .88em/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1em .3em; overflow-wrap: anywhere; }
pre { padding: .8rem 1rem; overflow-x: auto; border: 1px solid var(--line); max-height: 26rem; }
.route b { display: inline-block; min-width: 3.6rem; font-size: .85rem; color: var(--post); }
.route b.get { color: var(--get); }
.route b.delete { color: var(--delete); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 600; }
i { color: var(--delete); font-style: normal; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); } }
`;
