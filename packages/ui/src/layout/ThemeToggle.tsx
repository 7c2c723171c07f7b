// Cycles through system, light, dark. Its label names the current theme.
import { Moon, Sun, SunMoon } from 'lucide-react';
import { IconButton } from '../form/IconButton.tsx';
import { useTheme } from '../use-theme.ts';

const ICONS = { system: SunMoon, light: Sun, dark: Moon };
const LABELS = { system: 'Theme: follows the system', light: 'Theme: light', dark: 'Theme: dark' };

export function ThemeToggle({ className }: { className?: string }) {
  const { theme, setTheme, next } = useTheme();
  const Icon = ICONS[theme];
  return (
    <IconButton
      className={className}
      variant="quiet"
      label={LABELS[theme]}
      icon={<Icon aria-hidden="true" />}
      onClick={() => setTheme(next)}
    />
  );
}
