/** Every color has a contrast of at least 7 to 1 on its background. */
export const paymentPageStyle = `
:root { color-scheme: light dark; --text: #1a1a1a; --back: #ffffff; --box: #f1f3f5; --accent: #0b4a8f; }
@media (prefers-color-scheme: dark) {
  :root { --text: #f1f3f5; --back: #121416; --box: #23272b; --accent: #a9d1ff; }
}
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
.state { padding: 0.75rem 1rem; border-left: 0.25rem solid var(--accent); background: var(--box); }
dt { font-weight: 600; margin-top: 0.75rem; }
dd { margin: 0; }
code { font-size: 1.05rem; overflow-wrap: anywhere; }
button {
  font: inherit; color: var(--accent); background: var(--box); border: 1px solid var(--accent);
  border-radius: 0.25rem; padding: 0.25rem 0.75rem; cursor: pointer;
}
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
figure { margin: 1.5rem 0 0; text-align: center; }
figure svg { width: 14rem; max-width: 100%; background: #ffffff; border-radius: 0.5rem; }
[hidden] { display: none; }
`;
