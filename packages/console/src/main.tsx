/** Starts the console: settings, sign-in, then the router. Failures before that show a plain message. */
import '@slipway/ui/styles/sheet.css';
import '#app/authenticating.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadRuntimeConfig } from './kit/api/runtime-config.ts';
import { onOtherIdentity, startSession } from './kit/api/session.ts';
import { App, createRouter } from '#app/App.tsx';
import { prefetch, prefetchFrom } from '#app/prefetch.ts';
import { routes } from '#app/routes.tsx';
import { expectPage } from '#kit/later/page-ready.ts';
import { watchConsole } from '#app/watch-console.ts';
import { StartFailure } from '#app/StartFailure.tsx';

const start = async (root: HTMLElement): Promise<void> => {
  prefetchFrom(routes);
  // Loads the page's code while the sign-in is checked.
  prefetch(location.pathname);
  expectPage();
  const early = watchConsole();
  try {
    const config = await loadRuntimeConfig();
    early.begin(config.monitoring);
    if (config.tracing) (await import('./kit/api/trace.ts')).traceGestures();
    await startSession(config);
  } catch (error) {
    createRoot(root).render(<StartFailure error={error} />);
    return;
  }
  onOtherIdentity(() => location.reload());
  createRoot(root).render(
    <StrictMode>
      <App router={createRouter()} />
    </StrictMode>,
  );
};

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element #root');
void start(root);
