/** A secret that was just made: it is shown only this once. */
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { useEffect, useRef, type ReactNode } from 'react';

export interface ShownOnceProps {
  /** What it is: "The secret of robot$berth+ci." */
  title: ReactNode;
  secret: string;
  onClose: () => void;
  /** How it is used. */
  children?: ReactNode;
}

export function ShownOnce({ title, secret, onClose, children }: ShownOnceProps) {
  const words = useRef<HTMLDivElement>(null);
  // The button that asked for it is gone: whoever uses the keyboard goes on here.
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
        <CommandLine command={secret} />
        {children}
      </div>
    </Notice>
  );
}
