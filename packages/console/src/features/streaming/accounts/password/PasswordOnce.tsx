/** The new password, shown once to the user who requested it. Only the page holds it, so leaving asks for confirmation. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { accountPasswordTake } from '@slipway/contract/streaming/account-password.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { useMe } from '#entities/team/me.ts';
import { useWrite } from '#kit/api/write.ts';
import { reporting } from '#kit/error/global-error.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';
import { focusPage } from '#kit/page/page-focus.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';

interface PasswordOnceProps {
  place: AccountPlace;
  account: Account;
  /** Called when the password is shown or hidden. */
  onShown?: (isShown: boolean) => void;
}

export function PasswordOnce({ place, account, onShown }: PasswordOnceProps) {
  const take = useWrite(accountPasswordTake);
  const { data: me } = useMe();
  const [shown, setShown] = useState<{ user: string; password: string }>();
  const waiting = account.credentials?.waiting;
  const show = reporting(async () => {
    setShown(await take.send({ params: { ...place } }));
    onShown?.(true);
    await refresh({ kind: 'account', app: place.app, env: place.env });
  });
  const putAway = (): void => {
    setShown(undefined);
    onShown?.(false);
    focusPage();
  };
  if (shown) {
    return (
      <ShownOnce
        title={
          <>
            <strong>{shown.user}</strong> has a new password. Slipway keeps no copy.
          </>
        }
        secret={shown.password}
        onClose={putAway}
      >
        <CommandLine command={`export KAFKA_USERNAME='${shown.user}'`} />
      </ShownOnce>
    );
  }
  if (!waiting) return null;
  const isMine = waiting.forId === me?.id;
  return (
    <Notice
      tone="run"
      isLive
      actions={
        isMine && (
          <Button variant="primary" isBusy={take.isBusy} busyLabel="Taking" onClick={() => void show()}>
            Show the password once
          </Button>
        )
      }
    >
      <strong>{isMine ? 'The new password is ready.' : `The new password waits for ${waiting.forName}.`}</strong> It can be shown once,
      until <RelativeTime at={waiting.until} />. Afterwards nobody can read it.
    </Notice>
  );
}
