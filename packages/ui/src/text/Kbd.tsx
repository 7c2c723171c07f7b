// A key of the keyboard. `Mod` becomes the platform's symbol.
import css from './Kbd.module.css';

const isApple = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);
const SIGNS: Record<string, string> = { Mod: isApple ? '⌘' : 'Ctrl', Enter: '↵', Shift: isApple ? '⇧' : 'Shift', Esc: 'Esc' };

/** `keys`: one key ("R", "/") or several joined by spaces ("Mod K", "G L"). */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={css.keys}>
      {keys.split(' ').map((key) => (
        <kbd key={key} className={css.key}>
          {SIGNS[key] ?? key}
        </kbd>
      ))}
    </span>
  );
}
