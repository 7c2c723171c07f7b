/** Shows a new secret, which is displayed only once. Losing it asks for confirmation until the secret was copied. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { ConfirmDialog } from '@slipway/ui/overlay/ConfirmDialog.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { UnsavedGuard } from './UnsavedGuard.tsx';

export interface ShownOnceProps {
  /** Describes the secret: "The secret of robot$berth+ci." */
  title: ReactNode;
  secret: string;
  onClose: () => void;
  /** How to use the secret. */
  children?: ReactNode;
}

export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  const words = useRef<HTMLDivElement>(null);
  const { onCopied, close, guard } = useSecretGuard(secret, onClose);
  // The button that had the focus is gone: keyboard users continue here.
  useEffect(() => words.current?.focus(), []);
  return (
    <Notice
      tone="ok"
      isLive
      actions={
        <Button size="sm" onClick={close}>
          Done
        </Button>
      }
    >
      <div ref={words} tabIndex={-1} className="stack stack-8">
        <p>{title} Copy it now: it is shown only this once.</p>
        <CommandLine command={secret} onCopied={onCopied} />
        {children}
      </div>
      {guard}
    </Notice>
  );
}

const lost = { title: 'Leave without copying the secret?', description: "You can't view it again." };

interface SecretGuard {
  readonly onCopied: () => void;
  /** Closes at once if the secret was copied, otherwise asks first. */
  readonly close: () => void;
  /** Must be rendered while the secret is shown. */
  readonly guard: ReactNode;
}

/** Guards a secret that is shown once and was not copied yet: against leaving the page, Done, and closing its dialog. */
export const useSecretGuard = (secret: string, onClose: () => void = () => {}): SecretGuard => {
  const [copied, setCopied] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const isLost = copied !== secret;
  return {
    onCopied: () => setCopied(secret),
    close: () => (isLost ? setAsking(true) : onClose()),
    guard: (
      <>
        <UnsavedGuard isDirty={isLost} {...lost} confirmLabel="Leave this page" />
        <ConfirmDialog
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          onConfirm={onClose}
          {...lost}
          confirmLabel="Close without copying"
          keepLabel="Stay here"
          variant="primary"
        />
      </>
    ),
  };
};
