// The 24 px copy button after every id, URL, tag and digest. Shows a tick for two seconds and announces the outcome.
import { Check, Copy as CopyIcon, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import css from './Copy.module.css';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

const FEEDBACK_MS = 2000;

type Outcome = 'idle' | 'copied' | 'failed';

/** Copies text and reports the outcome for two seconds; a browser without clipboard rights gives `failed`. */
export function useCopy(): { outcome: Outcome; copy: (text: string) => Promise<boolean> } {
  const [outcome, setOutcome] = useState<Outcome>('idle');
  useEffect(() => {
    if (outcome === 'idle') return;
    const timer = setTimeout(() => setOutcome('idle'), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome('copied');
      return true;
    } catch {
      setOutcome('failed');
      return false;
    }
  };
  return { outcome, copy };
}

export interface CopyProps {
  text: string;
  /** Name of the copied text, as in "Copy image tag". */
  what: string;
  /** Called when the text is in the clipboard. */
  onCopied?: () => void;
}

export function Copy({ text, what, onCopied }: CopyProps) {
  const { outcome, copy } = useCopy();
  const Icon = { idle: CopyIcon, copied: Check, failed: X }[outcome];
  const said = { idle: '', copied: 'Copied', failed: 'Could not copy' }[outcome];
  return (
    <button
      className={css.copy}
      type="button"
      aria-label={`Copy ${what}`}
      data-outcome={outcome}
      onClick={() => void copy(text).then((isCopied) => isCopied && onCopied?.())}
    >
      <Icon aria-hidden="true" className={css.icon} />
      {said !== '' && (
        <span className={css.bubble} aria-hidden="true">
          {said}
        </span>
      )}
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </button>
  );
}
