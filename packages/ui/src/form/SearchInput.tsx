// The search field of a list. `/` focuses it from anywhere on the page, unless single-key shortcuts are off. Escape clears it, then blurs
// it.
import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useEffect, useRef } from 'react';
import { classNames } from '../class-names.ts';
import { inputClass } from './Input.tsx';
import { Kbd } from '../text/Kbd.tsx';
import css from './SearchInput.module.css';

export interface SearchInputProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'value' | 'ref'> {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** At most one per page. */
  hasShortcut?: boolean;
}

/** True while a key press would enter text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))
  );
}

/** True if the app has turned off shortcuts without a modifier. */
/** True if the user switched shortcuts of a single key off (WCAG 2.1.4). */
export const hasKeysOff = (): boolean => document.documentElement.dataset['keys'] === 'off';

export function SearchInput({ label, value, onChange, hasShortcut = false, className, ...rest }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!hasShortcut) return;
    const jump = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || hasKeysOff()) return;
      event.preventDefault();
      input.current?.select();
      input.current?.focus();
    };
    document.addEventListener('keydown', jump);
    return () => document.removeEventListener('keydown', jump);
  }, [hasShortcut]);
  return (
    <div className={classNames(css.search, className)}>
      <Search aria-hidden="true" className={css.icon} />
      <input
        ref={input}
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        {...rest}
        value={value}
        className={classNames(inputClass, css.input)}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (value === '') return event.currentTarget.blur();
          event.stopPropagation();
          onChange('');
        }}
      />
      {hasShortcut && value === '' && (
        <span className={css.key} aria-hidden="true">
          <Kbd keys="/" />
        </span>
      )}
    </div>
  );
}
