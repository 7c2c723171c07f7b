/** A one-hour token for one service, shown once. Only this dialog holds the token. */
import { serviceAccessTokenCreate, serviceAudience, type ServiceAccessToken } from '@slipway/contract/service/service-access.ts';
import type { Service } from '@slipway/contract/service/service.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { exactTime } from '@slipway/ui/format/relative-time.ts';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { useState } from 'react';
import type * as z from 'zod/mini';
import { useWrite } from '#kit/api/write.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import { useSecretGuard } from '#kit/page/ShownOnce.tsx';

type Token = z.infer<typeof ServiceAccessToken>;

interface AccessTokenProps {
  service: Service;
  url: string;
  /** Why the user may not have a token. */
  reason: string | undefined;
}

export function AccessToken({ service, url, reason }: AccessTokenProps) {
  const create = useWrite(serviceAccessTokenCreate);
  const [made, setMade] = useState<Token>();
  const [failure, setFailure] = useState<unknown>();
  const { app, environment: env, name } = service;
  const get = async (): Promise<void> => {
    setFailure(undefined);
    try {
      setMade(await create.send({ params: { app, env, service: name } }));
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <p className="dense">
        Tokens of the sign-in authority with the audience <code>{serviceAudience(app, env, name)}</code>. For a try, get one here: it is
        good for an hour, for this service alone, and the platform itself refuses it.
      </p>
      {failure !== undefined && <DialogError error={failure} />}
      {made && <Shown token={made} />}
      <CommandLine command={`curl -H "Authorization: Bearer $SERVICE_TOKEN" ${url}`} />
      <div className="row">
        <Button
          isBusy={create.isBusy}
          busyLabel="Getting"
          onClick={() => void get()}
          {...(reason === undefined ? {} : { disabledReason: reason })}
        >
          {made ? 'Get another token' : 'Get a token'}
        </Button>
      </div>
    </>
  );
}

function Shown({ token: { token, expiresAt } }: { token: Token }) {
  // The dialog can close without a question: another token is one click away.
  const { onCopied, guard } = useSecretGuard(token);
  return (
    <div className="stack stack-8" role="status">
      <Notice tone="ok">Copy it now: it is shown only this once. It ends {exactTime(new Date(expiresAt))}.</Notice>
      <div className="row">
        <Input readOnly isMono aria-label="Token" value={token} onFocus={(event) => event.target.select()} />
        <Copy text={token} what="token" onCopied={onCopied} />
      </div>
      {guard}
    </div>
  );
}
