//! Runs a profile, from its plan to the kept result: for each world the sides are started, for each
//! cell they are measured in turn, A B A B, and after each cell the results so far are saved.

mod turns;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, ensure};

use self::turns::{Sent, Turns};
use crate::check::{self, Side};
use crate::figures::OURS;
use crate::kept::{Cell, ENDED_EARLY, FORMAT, LeftOut, Run};
use crate::machine;
use crate::numbers::short;
use crate::plan::Planned;
use crate::progress::Progress;
use crate::rival::Rival;
use crate::scenario::Callee;
use crate::side::{Plan, Stage};
use crate::topology::Topology;

/// A few keys are enough to see that the gateway distinguishes them.
const KEYS: u64 = 60;
/// Share of the machine's time that may be stolen in a round before the run warns.
const STOLEN_SHARE: f64 = 0.01;

/// The result of a run.
#[derive(Debug)]
pub struct Measured {
    /// The kept run.
    pub run: Run,
    /// Folder of the run.
    pub folder: PathBuf,
    /// Whether all cells were measured; if not, the run's warnings have the reason.
    pub is_whole: bool,
}

impl Planned {
    /// Checks all sides and measures all cells. Keeps what was measured even if the run fails or is
    /// interrupted.
    ///
    /// # Errors
    /// Fails if nothing could be measured, if Tollgate fails its check, or if the result cannot be
    /// written.
    pub fn run(mut self) -> anyhow::Result<Measured> {
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop))
                .context("registering signal handlers")?;
        }
        let mut run = self.header()?;
        self.is_built_everywhere()?;
        let Topology { gateway, .. } = &self.topology;
        // Observing processes must not take time from the gateway.
        gateway.keep_off(&gateway.cores)?;
        self.check(&stop)?;
        run.binaries = self.digests()?;
        run.left_out.clone_from(&self.left_out);
        let folder = self.folder(&run);
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let mut progress = Progress::new(self.measurements(), self.estimate());
        let outcome = self.measure(&mut run, &folder, &mut progress, &stop);
        progress.end();
        let is_whole = outcome.is_ok();
        if let Err(error) = outcome {
            // Cells without any measurement are dropped.
            run.cells.retain(|cell| !cell.is_empty());
            if run.cells.is_empty() {
                // Fails if the folder has other files; it stays then.
                let _ = fs::remove_dir(&folder);
                return Err(error);
            }
            let warning = format!("{ENDED_EARLY}: {error:#}");
            progress.note(&warning);
            run.warnings.push(warning);
        }
        if let Some((share, worst)) = run.stolen_share().filter(|it| it.1 > STOLEN_SHARE) {
            let [share, worst] = [share, worst].map(|it| short(it * 100.0));
            run.warnings.push(format!(
                "Neighbours took {share} % of the machine's time in all rounds (steal), and \
                 {worst} % in the worst round."
            ));
        }
        // Cells were measured in turn; restores the order of the plan.
        let planned = |cell: &Cell| self.cells.iter().position(|planned| planned.is(cell));
        run.cells.sort_by_key(planned);
        keep(&run, &folder)?;
        Ok(Measured {
            run,
            folder,
            is_whole,
        })
    }

    /// Checks Tollgate and the rivals with its features; a rival that fails is left out.
    fn check(&mut self, stop: &AtomicBool) -> anyhow::Result<()> {
        let mut sides = Vec::<Box<dyn Side>>::new();
        let (bench, host) = (&self.wanted.bench, &self.topology.gateway);
        for name in self.checked() {
            let rival = self.rivals.iter().find(|rival| rival.name == name);
            sides.push(match rival {
                Some(rival) => Box::new(check::rival::Checkable::new(rival.clone(), host, KEYS)?),
                None => Box::new(check::ours::Checkable::new(
                    bench,
                    &self.binaries[name],
                    host,
                    KEYS,
                )?),
            });
        }
        let progress = Progress::new(u32::try_from(sides.len())?, self.estimate());
        let checked = check::all(sides, self.topology.gateway.address, |name| {
            ensure!(!stop.load(Ordering::Relaxed), "stopped");
            progress.print(&format!("checking {name}"));
            Ok(())
        });
        progress.end();
        for failed in checked?.iter().filter(|it| !it.is_fine()) {
            let why = format!("its check failed: {}", failed.wrong());
            ensure!(failed.name != OURS, "{OURS} is not measured: {why}");
            progress.note(&format!("{} is left out: {why}", failed.name));
            self.leave_out(&failed.name, why);
        }
        Ok(())
    }

    fn measure(
        &self,
        run: &mut Run,
        folder: &Path,
        progress: &mut Progress,
        stop: &AtomicBool,
    ) -> anyhow::Result<()> {
        for (world, cells) in self.worlds() {
            progress.print(&format!(
                "starting {} with {} credentials of a kind",
                self.sides.join(", "),
                world.keys
            ));
            let plan = Plan {
                sides: &self.sides,
                scenarios: &self.scenarios,
                rivals: &self.rivals,
                binaries: &self.binaries,
                topology: &self.topology,
                profile: &self.profile,
                stop,
            };
            let mut stage = Stage::build(&plan, world)?;
            let mut turns = Turns {
                planned: self,
                stage: &mut stage,
                progress,
                stop,
                sent: BTreeMap::new(),
            };
            for group in self.profile.groups(&cells) {
                turns.group(&group, run)?;
                keep(run, folder)?;
            }
            let sent = turns.sent;
            self.agree(&stage, sent, run, progress)?;
        }
        Ok(())
    }

    /// Checks that three counts agree: the generator's, the records' and the counters'.
    fn agree(
        &self,
        stage: &Stage,
        sent: BTreeMap<(String, String), Sent>,
        run: &mut Run,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        for ((side, name), sent) in sent {
            let tollgate = &stage.tollgates[&side];
            let scenario = &self.scenarios[&name];
            let call = scenario
                .call(Callee::Tollgate, sent.message_bytes, 0)
                .in_turn(0);
            let (recorded, charged) = tollgate.counted(&name, scenario, call)?;
            // Includes the call that read the counter.
            let expected = sent.count + 1;
            let counts = match charged {
                Some(charged) => format!("{recorded} recorded, {charged} charged"),
                None => format!("{recorded} recorded; no limit per day counts them"),
            };
            let counts = match sent.forged {
                0 => format!("{expected} sent, {counts}"),
                forged => format!("{expected} sent and {forged} forged, {counts}"),
            };
            progress.note(&format!("{side}, {name}: {counts}"));
            let agrees =
                recorded == expected + sent.forged && charged.is_none_or(|it| it == expected);
            if sent.is_exact && !agrees {
                run.warnings
                    .push(format!("The counts of {side}, {name}, differ: {counts}."));
            }
        }
        Ok(())
    }

    /// Returns a run without any measurement.
    ///
    /// # Errors
    /// Fails if a machine does not respond.
    fn header(&self) -> anyhow::Result<Run> {
        Ok(Run {
            format: FORMAT,
            profile: self.profile.name.clone(),
            title: self.profile.title.clone(),
            mode: self.wanted.mode.clone(),
            started: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            commit: commit(&self.wanted.bench),
            binaries: BTreeMap::new(),
            warnings: self.topology.warnings()?,
            machine: self.topology.gateway.describe()?,
            topology: self.topology.to_string(),
            machines: self.topology.machines(),
            left_out: self.left_out.clone(),
            published: self.profile.published.clone(),
            ratios: self.profile.ratios.clone(),
            differences: self.profile.differences.clone(),
            split: self.profile.split.clone(),
            cells: Vec::new(),
        })
    }

    /// Checks that Tollgate and the lab are the same build on each machine where they run.
    fn is_built_everywhere(&self) -> anyhow::Result<()> {
        let Topology {
            gateway,
            back_end,
            load,
            ..
        } = &self.topology;
        let lab = std::env::current_exe().context("finding the lab itself")?;
        let ours = self.binaries.values().map(|path| (path, gateway));
        for (path, host) in ours.chain([gateway, back_end, load].map(|host| (&lab, host))) {
            ensure!(
                host.digest(path.clone())? == machine::digest(path)?,
                "{} on {} differs from the one here: copy the same build there",
                path.display(),
                host.address
            );
        }
        Ok(())
    }

    /// Returns the SHA-256 of each measured binary and of the lab; a rival without a binary is left
    /// out.
    fn digests(&mut self) -> anyhow::Result<BTreeMap<String, String>> {
        let lab = std::env::current_exe().context("finding the lab itself")?;
        let mut ours = self.binaries.clone();
        ours.insert("tollgate-lab".to_owned(), lab);
        let gateway = &self.topology.gateway;
        let digests = |files: BTreeMap<String, PathBuf>| {
            let files = files.into_iter();
            let digests = files.map(|(name, path)| Ok((name, gateway.digest(path)?)));
            digests.collect::<anyhow::Result<BTreeMap<_, _>>>()
        };
        let (mut all, mut missing) = (digests(ours)?, Vec::new());
        let measured = |rival: &&Rival| self.sides.contains(&rival.name);
        for rival in self.rivals.iter().filter(measured) {
            match digests(rival.binaries()) {
                Ok(its) => all.extend(its),
                Err(error) => missing.push((rival.name.clone(), format!("{error:#}"))),
            }
        }
        for (side, why) in missing {
            self.leave_out(&side, why);
        }
        Ok(all)
    }

    fn leave_out(&mut self, side: &str, why: String) {
        self.sides.retain(|it| it != side);
        self.left_out.push(LeftOut {
            what: format!("rival {side}"),
            why,
        });
    }

    fn folder(&self, run: &Run) -> PathBuf {
        if let Some(out) = &self.wanted.out {
            return out.clone();
        }
        let day = run.started.split('T').next().unwrap_or_default();
        let name = format!("{day}-{}", run.machine.name);
        let mut profile = format!("{}-{}", run.profile, run.mode);
        if run.machines > 1 {
            profile += &format!("-{}-machines", run.machines);
        }
        self.wanted.bench.join("runs").join(name).join(profile)
    }
}

/// Returns the commit of the tree, with `-dirty` if it has changes.
fn commit(bench: &Path) -> String {
    let mut git = Command::new("git");
    git.arg("-C").arg(bench).args([
        "describe",
        "--always",
        "--dirty",
        "--abbrev=12",
        "--exclude=*",
    ]);
    let output = git.output().ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_else(|| "unknown".to_owned())
}

fn keep(run: &Run, folder: &Path) -> anyhow::Result<()> {
    let path = folder.join("run.json");
    let text = serde_json::to_string_pretty(run).context("encoding the run")?;
    // Replaces the file atomically, in case this process is killed.
    let new = folder.join("run.json.new");
    fs::write(&new, text + "\n").with_context(|| format!("writing {}", new.display()))?;
    fs::rename(&new, &path).with_context(|| format!("writing {}", path.display()))
}
