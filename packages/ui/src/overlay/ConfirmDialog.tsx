// Asks for confirmation before an irreversible action: names the object and the consequences. For large losses the user must type the
// object's name.
import type { ReactNode } from 'react';
import { useRef, useState } from 'react';
import { Button } from '../form/Button.tsx';
import css from './ConfirmDialog.module.css';
import { Dialog } from './Dialog.tsx';
import { Field } from '../form/Field.tsx';
import { Input } from '../form/Input.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';

export interface ConfirmDialogProps {
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  /** Names the thing: "Delete tariff-engine?" */
  title: ReactNode;
  description?: ReactNode;
  /** Things that stop or are lost for good. */
  consequences?: ReactNode[];
  /** Verb and object: "Delete tariff-engine". */
  confirmLabel: string;
  /** Label while the action runs, without the ellipsis. */
  busyLabel?: string;
  keepLabel?: string;
  /** The user must type this word to confirm; for app, team and database only. */
  confirmWord?: string;
  variant?: 'danger' | 'primary';
  isBusy?: boolean;
  /** Notice with the reason why the last attempt failed. */
  error?: ReactNode;
  children?: ReactNode;
}

export function ConfirmDialog({ isOpen, ...rest }: ConfirmDialogProps) {
  // Remounts on every opening, so that a typed name does not persist.
  const [opening, setOpening] = useState(0);
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen !== wasOpen) {
    setWasOpen(isOpen);
    if (isOpen) setOpening(opening + 1);
  }
  return <ConfirmForm key={opening} isOpen={isOpen} {...rest} />;
}

function ConfirmForm(props: ConfirmDialogProps) {
  const {
    onClose,
    onConfirm,
    consequences = [],
    confirmLabel,
    busyLabel,
    keepLabel = 'Cancel',
    confirmWord,
    variant = 'danger',
    isBusy,
    error,
  } = props;
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const word = useRef<HTMLInputElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const submit = () => {
    if (isBusy) return;
    if (confirmWord !== undefined && typed.trim() !== confirmWord) {
      setWrong(true);
      word.current?.focus();
      return;
    }
    onConfirm();
  };
  const hasBody = consequences.length > 0 || confirmWord !== undefined || error !== undefined || props.children !== undefined;
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={onClose}
      title={props.title}
      description={props.description}
      isBusy={isBusy}
      isAlert
      initialFocus={confirmWord === undefined ? keep : word}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      actions={
        <>
          <Button ref={keep} onClick={onClose} disabledReason={isBusy ? 'It has begun' : undefined}>
            {keepLabel}
          </Button>
          <Button type="submit" variant={variant} isBusy={isBusy} busyLabel={busyLabel}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {hasBody ? (
        <>
          {consequences.length > 0 && (
            <ul className={css.consequences}>
              {consequences.map((consequence, index) => (
                <li key={index}>
                  <StatusIcon tone={variant === 'danger' ? 'bad' : 'warn'} className={css.mark} />
                  <span>{consequence}</span>
                </li>
              ))}
            </ul>
          )}
          {props.children}
          {confirmWord !== undefined && (
            <Field label={`Type ${confirmWord} to confirm`} error={isWrong ? `This is not ${confirmWord}` : undefined}>
              <Input
                ref={word}
                value={typed}
                spellCheck={false}
                autoCapitalize="off"
                onChange={(event) => {
                  setTyped(event.target.value);
                  setWrong(false);
                }}
              />
            </Field>
          )}
          {error}
        </>
      ) : undefined}
    </Dialog>
  );
}
