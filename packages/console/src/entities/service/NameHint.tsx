/** Shows the rules of an app's name and whether the typed name is free. */
import { Availability } from '#kit/form/Availability.tsx';
import { useNameCheck } from './use-name-check.ts';

/** Converts to lower case and replaces spaces and underscores with dashes. */
export const toName = (text: string): string => text.toLowerCase().replace(/[\s_]+/g, '-');

export function NameHint({ name, rules }: { name: string; rules: string }) {
  const check = useNameCheck(name);
  return (
    <>
      {rules} <Availability name={name} check={check} />
    </>
  );
}
