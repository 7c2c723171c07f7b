/** The console: cache, design system, live changes and router around the routes. */
import { UiProvider } from '@slipway/ui/UiProvider.tsx';
import type { ReactNode } from 'react';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { LiveChanges } from '#api/LiveChanges.tsx';
import { swrConfig } from '#api/query.ts';
import { RouterLink } from './RouterLink.tsx';
import { routes } from './routes.tsx';

export function Providers({ children }: { children: ReactNode }) {
  return (
    <SWRConfig value={swrConfig}>
      <LiveChanges />
      <UiProvider link={RouterLink}>{children}</UiProvider>
    </SWRConfig>
  );
}

export const createRouter = () => createBrowserRouter(routes);

export function App({ router }: { router: ReturnType<typeof createRouter> }) {
  return (
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  );
}
