/** A token that was just made, shown this once. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import type { MadeToken } from './NewTokenDialog.tsx';

const isFor = (token: MadeToken, scope: MadeToken['scopes'][number]): boolean => token.scopes.includes(scope);

export function NewTokenCard({ token, onClose }: { token: MadeToken; onClose: () => void }) {
  const { registryHost } = runtimeConfig();
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
      <div className="stack stack-8">
        <p>
          <strong>{token.name}</strong> is made. Copy it now: it is shown only this once.
        </p>
        <CommandLine command={token.token} />
        {isFor(token, 'read') && (
          <p className="meta">
            Send it as <code>Authorization: Bearer …</code>
          </p>
        )}
        {isFor(token, 'git') && <p className="meta">With git it is the password; any user name will do.</p>}
        {isFor(token, 'registry') && (
          <p className="meta">
            With docker: <code>docker login {registryHost}</code>, any user name, and this as the password.
          </p>
        )}
      </div>
    </Notice>
  );
}
