// Builds the gallery, a page with every component in every state. For people working on the design system; it is not shipped.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  // The layer order, the theme script and the icons are the console's.
  publicDir: '../../console/public',
  plugins: [react()],
  // Older targets rewrite light-dark() into variables that the tokens' test cannot vouch for.
  build: { cssTarget: ['chrome123', 'firefox120', 'safari17.5'] },
});
