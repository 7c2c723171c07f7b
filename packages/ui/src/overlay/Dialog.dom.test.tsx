// Focus in dialogs: the initial target, and closing with a single Escape.
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Button } from '../form/Button.tsx';
import { Dialog } from './Dialog.tsx';

let root: Root;
beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  root = createRoot(document.body.appendChild(document.createElement('div')));
});
afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const open = async (onClose: () => void, body: ReactNode): Promise<void> => {
  await act(async () =>
    root.render(
      <Dialog isOpen hasClose onClose={onClose} title="An entry" actions={<Button>Done</Button>}>
        {body}
      </Dialog>,
    ),
  );
};
const focused = (): string => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '';

test('a dialog with a cross begins with what it is about', async () => {
  await open(() => {}, <textarea aria-label="Reason" />);
  await vi.waitFor(() => expect(focused()).toBe('Reason'), 60_000);
});

test('a dialog of words alone begins at its last button', async () => {
  await open(() => {}, <p>Nothing to fill in</p>);
  await vi.waitFor(() => expect(focused()).toBe('Done'), 60_000);
});

test('one Escape closes it, also while the cross shows its name', async () => {
  const onClose = vi.fn<() => void>();
  await open(onClose, <p>Words</p>);
  const cross = document.querySelector<HTMLElement>('[aria-label="Close"]');
  await act(async () => cross?.focus());
  await vi.waitFor(() => expect(document.querySelector('[role=tooltip]')).not.toBeNull(), 60_000);
  await act(async () => cross?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
  await vi.waitFor(() => expect(onClose).toHaveBeenCalled(), 60_000);
});
