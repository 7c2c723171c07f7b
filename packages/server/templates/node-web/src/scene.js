// The picture at the top of the page: a harbour, by day in the light theme and by night in the dark one. Its colours are in style.css.
import { html } from './html.js';

export const scene = html`
      <svg class="scene" viewBox="0 0 1440 380" preserveAspectRatio="xMidYMax slice" aria-hidden="true" focusable="false">
        <defs>
          <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
            <stop class="sky-high" offset="0" /><stop class="sky-low" offset="1" />
          </linearGradient>
          <linearGradient id="beam" x1="0" y1="0" x2="1" y2="0">
            <stop class="beam-near" offset="0" /><stop class="beam-far" offset="1" />
          </linearGradient>
        </defs>
        <rect width="1440" height="380" fill="url(#sky)" />
        <g class="stars">
          <circle cx="120" cy="60" r="1.6" /><circle cx="236" cy="120" r="1.1" /><circle cx="402" cy="48" r="1.5" />
          <circle cx="540" cy="104" r="1" /><circle cx="664" cy="38" r="1.7" /><circle cx="772" cy="88" r="1.2" />
          <circle cx="880" cy="52" r="1" /><circle cx="968" cy="132" r="1.4" /><circle cx="1196" cy="46" r="1.3" />
          <circle cx="1150" cy="120" r="1.6" /><circle cx="1382" cy="64" r="1.1" /><circle cx="330" cy="156" r="1" />
        </g>
        <circle class="sun" cx="1262" cy="92" r="38" />
        <path class="hill-far" d="M0 262 C160 204 300 232 430 214 C600 190 700 246 860 232 C1040 214 1180 186 1440 238 V380 H0Z" />
        <path class="hill" d="M0 276 C220 232 380 268 560 258 C760 246 900 276 1090 262 C1230 252 1330 240 1440 256 V380 H0Z" />

        <g class="lighthouse">
          <path class="beam" d="M228 150 L1000 70 L1000 240Z" fill="url(#beam)" />
          <path class="rock" d="M120 300 C150 268 176 276 196 262 C222 252 246 262 268 270 C296 276 318 286 340 300Z" />
          <path class="tower" d="M211 164 H245 L253 264 H203Z" />
          <path class="tower-band" d="M209.4 184 H246.6 L248.2 204 H207.8Z M206.2 224 H249.8 L251.4 244 H204.6Z" />
          <rect class="tower-band" x="206" y="158" width="44" height="6" rx="1.5" />
          <rect class="lamp" x="217" y="140" width="22" height="18" rx="2" />
          <path class="tower-band" d="M213 140 L228 126 L243 140Z" />
        </g>

        <path class="sea-back" d="M0 292 C120 284 240 300 360 292 S600 284 720 292 S960 300 1080 292 S1320 284 1440 292 V380 H0Z" />
        <g class="ship">
          <path class="funnel-smoke" d="M1012 150 c-10 -8 -4 -20 8 -18 c2 -14 22 -14 24 -2 c14 -4 22 12 10 20Z" />
          <g class="cargo">
            <rect class="box-1" x="640" y="218" width="52" height="24" /><rect class="box-2" x="696" y="218" width="52" height="24" />
            <rect class="box-3" x="752" y="218" width="52" height="24" /><rect class="box-1" x="808" y="218" width="52" height="24" />
            <rect class="box-4" x="864" y="218" width="52" height="24" /><rect class="box-2" x="920" y="218" width="52" height="24" />
            <rect class="box-3" x="668" y="190" width="52" height="24" /><rect class="box-4" x="724" y="190" width="52" height="24" />
            <rect class="box-2" x="780" y="190" width="52" height="24" /><rect class="box-1" x="836" y="190" width="52" height="24" />
            <rect class="box-1" x="752" y="162" width="52" height="24" /><rect class="box-3" x="808" y="162" width="52" height="24" />
          </g>
          <path class="bridge" d="M990 242 V190 H1000 V176 H1062 V190 H1074 V242Z" />
          <path class="funnel" d="M1018 176 V154 H1044 V176Z" />
          <path class="window" d="M1004 184 h12 v10 h-12Z M1022 184 h12 v10 h-12Z M1040 184 h12 v10 h-12Z M1000 206 h8 v8 h-8Z M1016 206 h8 v8 h-8Z M1032 206 h8 v8 h-8Z M1048 206 h8 v8 h-8Z" />
          <path class="hull" d="M588 228 L628 246 H1096 L1082 304 C1076 322 1062 330 1042 330 H668 C646 330 632 322 624 306Z" />
          <path class="hull-line" d="M616 288 H1086 L1082 304 C1076 322 1062 330 1042 330 H668 C646 330 632 322 624 306Z" />
        </g>
        <path class="sea wave-1" d="M-240 312 C-180 304 -60 304 0 312 S180 320 240 312 S420 304 480 312 S660 320 720 312 S900 304 960 312 S1140 320 1200 312 S1380 304 1440 312 S1620 320 1680 312 V380 H-240Z" />
        <path class="sea-front wave-2" d="M-240 338 C-180 328 -60 328 0 338 S180 348 240 338 S420 328 480 338 S660 348 720 338 S900 328 960 338 S1140 348 1200 338 S1380 328 1440 338 S1620 348 1680 338 V380 H-240Z" />
      </svg>`;
