/** The console: cache, live changes and router around the routes. */
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { LiveChanges } from '#entities/changes/LiveChanges.tsx';
import { swrConfig } from '#kit/api/query.ts';
import { routes } from './routes.tsx';

export const createRouter = () => createBrowserRouter(routes);

export function App({ router }: { router: ReturnType<typeof createRouter> }) {
  return (
    <SWRConfig value={swrConfig}>
      <LiveChanges />
      <RouterProvider router={router} />
    </SWRConfig>
  );
}
