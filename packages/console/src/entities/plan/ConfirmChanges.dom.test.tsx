import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { act, useRef } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConfirmChanges } from './ConfirmChanges.tsx';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const plan: Plan = {
  isPlan: true,
  pipelineType: 'RollbackService',
  changes: [],
  consequences: [],
  warnings: [],
  steps: [],
  usualMs: null,
  image: null,
  secretVersions: [],
};

let root: Root;
beforeEach(() => {
  root = createRoot(document.body.appendChild(document.createElement('div')));
});
afterEach(async () => {
  await act(async () => root.unmount());
  document.body.replaceChildren();
});

function WithReason({ onConfirm }: { onConfirm: () => Promise<void> }) {
  const reason = useRef<HTMLTextAreaElement>(null);
  return (
    <ConfirmChanges
      plan={plan}
      title="Roll back to revision 3"
      subject="berth-api"
      environment="development"
      confirmLabel="Roll back to 3"
      initialFocus={reason}
      onConfirm={onConfirm}
      onClose={() => {}}
    >
      <textarea ref={reason} aria-label="Reason" />
    </ConfirmChanges>
  );
}
const focusedName = (): string | null | undefined => document.activeElement?.getAttribute('aria-label');
const press = (target: Element | null, key: string, ctrlKey: boolean) =>
  act(async () => target?.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true })));

test('what must be filled in has the focus, and Ctrl+Enter confirms from there', async () => {
  const onConfirm = vi.fn(() => Promise.resolve());
  await act(async () => root.render(<WithReason onConfirm={onConfirm} />));
  await vi.waitFor(() => expect(focusedName()).toBe('Reason'), 60_000);
  await press(document.activeElement, 'Enter', false);
  expect(onConfirm).not.toHaveBeenCalled();
  await press(document.activeElement, 'Enter', true);
  expect(onConfirm).toHaveBeenCalledOnce();
});
