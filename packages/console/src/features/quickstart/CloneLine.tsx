/** The line that clones a repository. One click creates a token for git and puts it into the line, where it is shown once. */
import { meTokenCreate } from '@slipway/contract/identity.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useWrite } from '#kit/api/write.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { paths } from '#entities/paths.ts';

const days = 30;

/** `http://host/git/app/app.git` → `http://git:token@host/git/app/app.git`. Git accepts any user name. */
export const withToken = (repository: string, token: string): string => {
  const url = new URL(repository);
  url.username = 'git';
  url.password = token;
  return url.href;
};

export function CloneLine({ repository }: { repository: string }) {
  const create = useWrite(meTokenCreate);
  const [token, setToken] = useState<string>();
  const name = `git clone ${new URL(repository).pathname.split('/').slice(-2).join('/')}`;
  const makeToken = async (): Promise<void> => {
    try {
      const made = await create.send({ body: { name: name.slice(0, 60), scopes: ['git'], expiresInDays: days } });
      setToken(made.token);
    } catch (error) {
      toastError('The token could not be created.', error);
    }
  };
  return (
    <>
      <CommandLine command={`git clone ${token === undefined ? repository : withToken(repository, token)}`} />
      {token === undefined ? (
        <div className="row row-wrap">
          <Button
            size="sm"
            icon={<KeyRound aria-hidden="true" />}
            isBusy={create.isBusy}
            busyLabel="Creating"
            onClick={() => void makeToken()}
          >
            Create a token for this line
          </Button>
          <span className="meta">Or use one of your API tokens with the scope git as the password.</span>
        </div>
      ) : (
        <p className="meta" role="status">
          Copy the line now. It contains a token for git, and you can&apos;t view it again. The token expires in {days} days. Revoke it in{' '}
          <a href={paths.tokens()}>API tokens</a>.
        </p>
      )}
    </>
  );
}
