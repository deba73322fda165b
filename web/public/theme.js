// Runs before the first paint, so that a reader of the light theme never sees a dark flash.
(() => {
  const light = matchMedia('(prefers-color-scheme: light)').matches;
  let chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage may be blocked; the system preference then decides.
  }
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : light ? 'light' : 'dark';
  document.documentElement.dataset.theme = theme;
  // The bar of the phone around the page, before the styles are read.
  if (theme === 'light') document.querySelector('meta[name="theme-color"]').content = '#f6f9f9';
})();
