/**
 * Shows one secret value for 30 seconds, after the user enters a reason. The server records the access. Only this dialog holds the value.
 */
import { SecretReveal, secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Textarea } from '@slipway/ui/form/Textarea.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { useWrite } from '#kit/api/write.ts';
import { Form } from '#kit/form/Form.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
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

const schema = z.pick(SecretReveal, { reason: true });
const tooShort = 'Write at least ten characters: why do you need this value?';

/** Requests the value, holds it while it is shown, and closes when the time is up. */
const useReveal = ({ place, secretKey, version, onClose }: RevealDialogProps) => {
  const reveal = useWrite(secretReveal);
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    if (!shown) return;
    const timer = setTimeout(onClose, shown.until - Date.now());
    return () => clearTimeout(timer);
  }, [shown, onClose]);
  const form = useApiForm({
    schema,
    defaultValues: { reason: '' },
    labels: { reason: 'Reason' },
    messages: { Required: tooShort, MinimumLength: tooShort },
    onSubmit: async ({ reason }) => {
      const { value } = await reveal.send({ params: { ...place }, body: { key: secretKey, version, reason } });
      setShown({ value, until: Date.now() + shownMs });
    },
  });
  return { shown, form };
};

export function RevealDialog(props: RevealDialogProps) {
  const { place, secretKey, version, onClose } = props;
  const { shown, form } = useReveal(props);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      isBusy={form.isBusy}
      title={<>Reveal {secretKey}</>}
      description={`Version ${version}, ${place.env}. Your name and reason are logged.`}
      actions={
        shown ? (
          <Button variant="primary" onClick={onClose}>
            Hide
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" form={form.id} variant="primary" isBusy={form.isBusy} busyLabel="Revealing">
              Reveal for 30 seconds
            </Button>
          </>
        )
      }
    >
      {shown ? (
        <Value shown={shown} secretKey={secretKey} />
      ) : (
        <Form form={form} isInDialog label={`Reveal ${secretKey}`}>
          <TextField form={form} name="reason" maxLength={500} hint="At least ten characters." />
        </Form>
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
