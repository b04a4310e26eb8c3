k3-decode --list-presets
