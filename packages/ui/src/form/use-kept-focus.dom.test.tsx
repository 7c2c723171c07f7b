/** A focused button keeps the focus when it becomes disabled, although the reason around it makes it a different DOM element. */
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { Button } from './Button.tsx';
import { IconButton } from './IconButton.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const buttons = (reason: string | undefined) => (
  <>
    <Button disabledReason={reason}>Older</Button>
    <IconButton label="Newer" icon={null} disabledReason={reason} />
  </>
);

test.each(['Older', 'Newer'])('%s', async (name) => {
  document.body.innerHTML = '<div id="root"></div>';
  const root = createRoot(document.getElementById('root') as HTMLElement);
  const find = (): HTMLButtonElement | undefined =>
    [...document.querySelectorAll('button')].find(
      (button) => button.textContent?.startsWith(name) || button.getAttribute('aria-label') === name,
    );
  await act(async () => root.render(buttons(undefined)));
  await act(async () => find()?.focus());
  await act(async () => root.render(buttons('These are the oldest')));
  expect(find()?.getAttribute('aria-disabled')).toBe('true');
  expect(document.activeElement).toBe(find());
  await act(async () => root.render(buttons(undefined)));
  expect(document.activeElement).toBe(find());
  await act(async () => root.unmount());
});
