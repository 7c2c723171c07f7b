/** Shows a new secret, which is displayed only once. Leaving asks for confirmation until the secret was copied. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
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
  const [copied, setCopied] = useState<string>();
  // The button that had the focus is gone: keyboard users continue here.
  useEffect(() => words.current?.focus(), []);
  return (
    <Notice
      tone="ok"
      isLive
      actions={
        <Button size="sm" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div ref={words} tabIndex={-1} className="stack stack-8">
        <p>{title} Copy it now: it is shown only this once.</p>
        <CommandLine command={secret} onCopied={() => setCopied(secret)} />
        {children}
      </div>
      <SecretGuard isShown={copied !== secret} />
    </Notice>
  );
}

/** Guards a secret that is shown once and was not copied yet. */
export function SecretGuard({ isShown }: { isShown: boolean }) {
  return (
    <UnsavedGuard
      isDirty={isShown}
      title="Leave without copying the secret?"
      description="You can't view it again."
      confirmLabel="Leave this page"
    />
  );
}
