/** Shows one value to one person: with a written reason, for 30 seconds, and the reading is recorded. The value lives here alone. */
import { SecretReveal, secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { Copy } from 'lucide-react';
import { useEffect, useId, useState, type FormEvent } from 'react';
import * as z from 'zod/mini';
import { ResponseError } from '#kit/api/errors.ts';
import { useWrite } from '#kit/api/write.ts';
import { reportError } from '#kit/error/global-error.ts';
import { messageFor } from '#kit/error/messages.ts';
import css from './RevealDialog.module.css';
import { clearAfterMs, copySecret } from './secret-clipboard.ts';
import type { GroupPlace } from '#features/secrets/use-group.ts';

const shownMs = 30_000;

export interface RevealDialogProps {
  place: GroupPlace;
  secretKey: string;
  version: number;
  onClose: () => void;
}

interface Shown {
  value: string;
  until: number;
}

/** Asks for the value, holds it while it is shown, and closes when its time is over. */
const useReveal = ({ place, secretKey, version, onClose }: RevealDialogProps) => {
  const reveal = useWrite(secretReveal);
  const [shown, setShown] = useState<Shown>();
  const [reason, setReason] = useState('');
  const [error, setError] = useState<string>();
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(onClose, shown.until - Date.now());
    return () => clearTimeout(timer);
  }, [shown, onClose]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const body = { key: secretKey, version, reason };
    if (!z.safeParse(SecretReveal, body).success) {
      setError('Write at least ten characters: why do you need this value?');
      return;
    }
    try {
      const { value } = await reveal.send({ params: { ...place }, body });
      setShown({ value, until: Date.now() + shownMs });
    } catch (cause) {
      const [first] = cause instanceof ResponseError ? cause.errors : [];
      if (first) return setError(messageFor(first.code, { label: 'Reason', ...first.context }));
      onClose();
      reportError(cause);
    }
  };
  const type = (text: string): void => {
    setReason(text);
    setError(undefined);
  };
  return { shown, reason, error, isBusy: reveal.isBusy, type, submit };
};

export function RevealDialog({ place, secretKey, version, onClose }: RevealDialogProps) {
  const { shown, reason, error, isBusy, type, submit } = useReveal({ place, secretKey, version, onClose });
  const form = useId();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={isBusy}
      title={<>Reveal {secretKey}</>}
      description={`Version ${version}, ${place.env}. Your name and the reason stand in the activity log.`}
      actions={
        shown ? (
          <Button variant="primary" onClick={onClose}>
            Hide it now
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={form} variant="primary" isBusy={isBusy} busyLabel="Revealing">
              Reveal for 30 seconds
            </Button>
          </>
        )
      }
    >
      {shown ? (
        <Value shown={shown} secretKey={secretKey} />
      ) : (
        <form id={form} noValidate onSubmit={(event) => void submit(event)}>
          <Field className={css.reason} label="Reason" hint="At least ten characters." error={error}>
            <Input value={reason} maxLength={500} onChange={(event) => type(event.target.value)} />
          </Field>
        </form>
      )}
    </Dialog>
  );
}

const secondsLeft = (until: number, now: number): number => Math.min(shownMs / 1000, Math.max(0, Math.ceil((until - now) / 1000)));
const mostRows = 10;

function Value({ shown, secretKey }: { shown: Shown; secretKey: string }) {
  const left = useNow((now) => secondsLeft(shown.until, now), true);
  const [copied, setCopied] = useState<boolean>();
  return (
    <div className="stack stack-12">
      <Textarea
        className={css.value}
        isMono
        readOnly
        aria-label={`Value of ${secretKey}`}
        rows={Math.min(shown.value.split('\n').length + 1, mostRows)}
        value={shown.value}
        spellCheck={false}
      />
      <div className="row row-wrap">
        <Button size="sm" icon={<Copy aria-hidden="true" />} onClick={() => void copySecret(shown.value).then(setCopied)}>
          Copy value
        </Button>
        <span className="meta" role="status">
          {copied === true && `Copied. The clipboard is emptied in ${clearAfterMs / 1000} seconds.`}
          {copied === false && 'The browser did not let it be copied.'}
        </span>
        <span className="meta num push">Hidden in {left} s</span>
      </div>
      <Notice tone="idle">This reading is recorded: who, when, which key, and why.</Notice>
    </div>
  );
}
