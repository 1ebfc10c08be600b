/**
 * Polls the state and loads the page again when it has changed, so that only the server renders. It polls only while the page
 * is visible, and less often after errors.
 */
export const paymentPageScript = `'use strict';
(() => {
  const main = document.querySelector('main');
  const shortestWait = 5000;
  const longestWait = 60000;
  let wait = shortestWait;
  let timer;

  async function poll() {
    try {
      const response = await fetch(location.pathname + '/state', { cache: 'no-store' });
      if (!response.ok) throw new Error(String(response.status));
      const { state } = await response.json();
      if (state !== main.dataset.state) return location.reload();
      wait = shortestWait;
    } catch {
      wait = Math.min(2 * wait, longestWait);
    }
    schedule();
  }

  function schedule() {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(poll, wait);
  }

  if (main.dataset.polls !== undefined) {
    document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : poll()));
    schedule();
  }

  const countdown = document.getElementById('countdown');
  if (countdown !== null) {
    // Relative to the time of the server: the clock of this device may be wrong.
    const duration = Date.parse(main.dataset.expiresAt) - Date.parse(main.dataset.now);
    const startedAt = performance.now();
    const show = () => {
      const seconds = Math.max(0, Math.ceil((duration - (performance.now() - startedAt)) / 1000));
      const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
      countdown.textContent = ' (in ' + parts.map((part) => String(part).padStart(2, '0')).join(':') + ')';
      if (seconds > 0) return setTimeout(show, 1000);
      clearTimeout(timer);
      poll();
    };
    countdown.hidden = false;
    show();
  }

  for (const button of document.querySelectorAll('[data-copy]')) {
    const label = button.textContent;
    const source = document.getElementById(button.dataset.copy);
    button.hidden = false;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = 'Copied';
      } catch {
        // Without permission, or on a page without TLS.
        getSelection().selectAllChildren(source);
        button.textContent = 'Selected: copy it now';
      }
      setTimeout(() => (button.textContent = label), 3000);
    });
  }
})();
`;
