/**
 * Asks before a plan (a dry run's answer) becomes real: the differences, what happens to what runs, and the steps. For settings, rollback,
 * copies, YAML, deletion: whatever the server can tell beforehand.
 */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import type { Plan } from '@slipway/contract/pipeline/plan.ts';
import { Button, type ButtonVariant } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type RefObject } from 'react';
import { DialogError } from '#kit/error/DialogError.tsx';
import { PlanDiff } from './PlanDiff.tsx';
import { PlanNotes } from './PlanNotes.tsx';

export interface ConfirmChangesProps {
  plan: Plan;
  /** "Review 3 changes". */
  title: string;
  /** The thing that changes, and where: production is marked. */
  subject: string;
  environment: Environment;
  /** "Apply to production". */
  confirmLabel: string;
  /** The label while it runs, without the dots. */
  busyLabel?: string;
  keepLabel?: string;
  variant?: Extract<ButtonVariant, 'primary' | 'danger'>;
  /** What it throws is shown here, and the dialog stays; errors that belong elsewhere (to fields) it catches itself. */
  onConfirm: () => Promise<void>;
  onClose: () => void;
  /** Before the differences: a reason to type, what is carried over. */
  children?: ReactNode;
  /** Where typing begins, when something must be filled in; else the button that changes nothing. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** The button that leads here, where an address may have done so instead. */
  finalFocus?: RefObject<HTMLElement | null>;
  /** Beside the buttons: "You can roll back to revision 35 afterwards." */
  footNote?: ReactNode;
}

/** ⌘Enter or Ctrl+Enter where a text is typed, as in every form with one. */
const useSubmitKey = (submit: () => void): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || !(event.target instanceof HTMLTextAreaElement)) return;
    event.preventDefault();
    submit();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

export function ConfirmChanges(props: ConfirmChangesProps) {
  const {
    plan,
    title,
    subject,
    environment,
    confirmLabel,
    busyLabel = 'Applying',
    keepLabel = 'Keep editing',
    variant = 'primary',
  } = props;
  const keep = useRef<HTMLButtonElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const confirm = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await props.onConfirm();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  useSubmitKey(() => !isBusy && void confirm());
  return (
    <Dialog
      isOpen
      onClose={props.onClose}
      isBusy={isBusy}
      size="lg"
      hasClose
      title={title}
      description={
        <>
          {subject} in <strong>{environment}</strong>
        </>
      }
      initialFocus={props.initialFocus ?? keep}
      {...(props.finalFocus ? { finalFocus: props.finalFocus } : {})}
      {...(props.footNote === undefined ? {} : { footNote: props.footNote })}
      actions={
        <>
          <Button ref={keep} onClick={props.onClose} {...(isBusy ? { disabledReason: 'It has begun' } : {})}>
            {keepLabel}
          </Button>
          <Button variant={variant} isBusy={isBusy} busyLabel={busyLabel} onClick={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {failure !== undefined && <DialogError error={failure} />}
      {props.children}
      {plan.changes.length > 0 && <PlanDiff changes={plan.changes} />}
      {/* The environment stands in the head already. */}
      <PlanNotes plan={plan} hiddenCodes={['ProductionChange']} />
    </Dialog>
  );
}
