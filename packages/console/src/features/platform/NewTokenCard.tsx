/** A token that was just made, and how it is used. */
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';
import type { MadeToken } from './NewTokenDialog.tsx';

const isFor = (token: MadeToken, scope: MadeToken['scopes'][number]): boolean => token.scopes.includes(scope);

export function NewTokenCard({ token, onClose }: { token: MadeToken; onClose: () => void }) {
  const { registryHost } = runtimeConfig();
  return (
    <ShownOnce
      title={
        <>
          <strong>{token.name}</strong> is made.
        </>
      }
      secret={token.token}
      onClose={onClose}
    >
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
    </ShownOnce>
  );
}
