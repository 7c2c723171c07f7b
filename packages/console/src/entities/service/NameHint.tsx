/** The rules of a name, and whether this one is free. */
import { Availability } from '#kit/form/Availability.tsx';
import { useNameCheck } from './use-name-check.ts';

/** Spaces and capitals are meant as dashes and small letters. */
export const toName = (text: string): string => text.toLowerCase().replace(/[\s_]+/g, '-');

export function NameHint({ name, rules }: { name: string; rules: string }) {
  const check = useNameCheck(name);
  return (
    <>
      {rules} <Availability name={name} check={check} />
    </>
  );
}
