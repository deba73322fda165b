// Runs before the first paint, so that a reader of the light theme never sees a dark flash.
(() => {
  const light = matchMedia('(prefers-color-scheme: light)').matches;
  let chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage may be blocked; the system preference then decides.
  }
  document.documentElement.dataset.theme = chosen === 'light' || chosen === 'dark' ? chosen : light ? 'light' : 'dark';
})();
