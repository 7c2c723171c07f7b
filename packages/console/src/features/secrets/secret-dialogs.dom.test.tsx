/** Secret dialogs show their own errors, for attaching and revealing. The page behind them shows none. */
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { createMemoryRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SWRConfig } from 'swr';
import { afterEach, expect, test, vi } from 'vitest';
import { ResponseError } from '#kit/api/errors.ts';
import { useGlobalError } from '#kit/error/global-error.ts';
import { AttachGroupDialog } from './attach/AttachDialogs.tsx';
import { RevealDialog } from './group/RevealDialog.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
const refusal = new ResponseError(503, { status: 503, title: 'Service Unavailable', detail: 'The keys cannot be reached', traceId: 't1' });
vi.mock(import('#kit/api/call.ts'), () => ({
  call: (async (route: { method: string }) => {
    if (route.method !== 'GET') throw refusal;
    return { content: [{ name: 'db', version: 3 }] };
  }) as never,
}));

const place = { app: 'berth', env: 'development', service: 'berth', group: 'db' } as const;
const onClose = vi.fn();
let root: Root;
afterEach(() => act(async () => root.unmount()));

function Page({ children }: { children: React.ReactNode }) {
  return (
    <>
      {children}
      <output>{useGlobalError() ? 'banner' : ''}</output>
    </>
  );
}
const open = async (dialog: React.ReactNode): Promise<void> => {
  document.body.innerHTML = '<div id="root"></div>';
  onClose.mockClear();
  root = createRoot(document.getElementById('root') as HTMLElement);
  const element = (
    <SWRConfig value={{ provider: () => new Map() }}>
      <Page>{dialog}</Page>
    </SWRConfig>
  );
  await act(async () => root.render(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />));
};
const dialog = (): string => document.querySelector('[role=dialog]')?.textContent ?? '';
const submit = () => act(async () => document.querySelector('form')?.requestSubmit());
const isSaidInside = (): void => {
  expect(dialog()).toContain('The keys cannot be reached');
  expect(dialog()).toContain('t1');
  expect(document.querySelector('output')?.textContent).toBe('');
  expect(onClose).not.toHaveBeenCalled();
};

test('a group that cannot be attached', async () => {
  await open(<AttachGroupDialog place={place} attached={[]} onClose={onClose} />);
  await submit();
  expect(dialog()).toContain('Secret group is required');
  await act(async () => document.querySelector<HTMLElement>('[role=combobox]')?.click());
  await act(async () => document.querySelector<HTMLElement>('[role=option]')?.click());
  await submit();
  isSaidInside();
});

test('a value that cannot be revealed, after a reason that is long enough', async () => {
  await open(<RevealDialog place={place} secretKey="PASSWORD" version={3} onClose={onClose} />);
  await submit();
  expect(dialog()).toContain('Write at least ten characters');
  await act(async () => {
    const input = document.querySelector('input[name=reason]');
    // React listens to the native setter, so the test sets the value through that setter.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, 'The nightly import fails');
    input?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await submit();
  isSaidInside();
});
