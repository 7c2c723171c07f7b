/** The rules of a name, and whether this one is free. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useNameCheck } from './use-name-check.ts';

/** Spaces and capitals are meant as dashes and small letters. */
export const toName = (text: string): string => text.toLowerCase().replace(/[\s_]+/g, '-');

export function NameHint({ name, rules }: { name: string; rules: string }) {
  const check = useNameCheck(name);
  return (
    <>
      {rules}{' '}
      <span role="status">
        {check === 'free' && (
          <Status tone="ok" isTinted>
            {name} is free
          </Status>
        )}
        {check === 'taken' && <Status tone="warn">{name} is taken</Status>}
      </span>
    </>
  );
}
