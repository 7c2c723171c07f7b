// Runs before the first paint, so that a stored theme never flashes. Classic and external: the content security policy allows no inline script.
(() => {
  let theme = 'system';
  try {
    theme = localStorage.getItem('theme') || 'system';
  } catch {
    // Storage may be blocked; the system's theme then stays.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
