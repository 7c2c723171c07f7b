/** Renders a page at a URL, with nothing cached. Returns the text that it shows once its queries are answered. */
import { act, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

export const openPage = async (path: string, Page: () => ReactNode, at: string): Promise<string> => {
  document.body.innerHTML = '<div id="root"></div>';
  const router = createMemoryRouter([{ path, element: <Page /> }], { initialEntries: [at] });
  const root = createRoot(document.getElementById('root') as HTMLElement);
  await act(async () =>
    root.render(
      <SWRConfig value={{ provider: () => new Map() }}>
        <RouterProvider router={router} />
      </SWRConfig>,
    ),
  );
  for (let tick = 0; tick < 5; tick += 1) await act(async () => {});
  return document.body.textContent ?? '';
};
