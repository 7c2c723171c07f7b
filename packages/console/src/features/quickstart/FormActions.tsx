/** The foot of a quickstart's form. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Kbd } from '@slipway/ui/text/Kbd.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';

export interface FormActionsProps {
  label: string;
  isBusy: boolean;
  /** Why the person may not. */
  reason?: string | undefined;
  cancelHref: string;
}

export function FormActions({ label, isBusy, reason, cancelHref }: FormActionsProps) {
  return (
    <div className="row">
      <Button type="submit" variant="primary" size="lg" isBusy={isBusy} busyLabel="Starting" disabledReason={reason}>
        {label}
      </Button>
      <LinkButton href={cancelHref} variant="quiet" size="lg">
        Cancel
      </LinkButton>
      <span className="push only-wide">
        <Kbd keys="Mod Enter" />
      </span>
    </div>
  );
}
