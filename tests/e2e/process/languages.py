"""Go, Rust, Java and the small languages."""

from .case import ORDINARY, ROOT, script

script("languages/go", "go build, go test", "a Go module is built and tested with the toolchain alone", """
go build -o main . && ./main
go test ./... | cut -f1
""", out="hello\nok  ", needs=("go",), users=(ORDINARY,), files={
    "go.mod": "module example.org/work\n\ngo 1.19\n",
    "main.go": 'package main\n\nimport "fmt"\n\nfunc Word() string { return "hello" }\n\nfunc main() { fmt.Println(Word()) }\n',
    "main_test.go": 'package main\n\nimport "testing"\n\nfunc TestWord(t *testing.T) {\n\tif Word() != "hello" {\n\t\tt.Fail()\n\t}\n}\n'})

script("languages/go-module", "go get", "a module from the Go module proxy, checked against the checksum database", """
go get github.com/google/uuid@v1.6.0 2>/dev/null
go run .
""", out="00000000-0000-0000-0000-000000000000", preset="agent", needs=("go",), registry="proxy.golang.org", users=(ROOT,), files={
    "go.mod": "module example.org/work\n\ngo 1.19\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\n\t"github.com/google/uuid"\n)\n\nfunc main() { fmt.Println(uuid.Nil) }\n'})

CARGO = {"Cargo.toml": '[package]\nname = "work"\nversion = "0.1.0"\nedition = "2021"\n',
         "src/main.rs": 'fn main() { println!("hello"); }\n\n#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n'}

script("languages/cargo", "cargo build, cargo test", "a Rust crate is built and tested offline",
       "cargo run -q --offline && cargo test -q --offline | grep -o '1 passed'", out="hello\n1 passed", needs=("cargo",), files=CARGO)

script("languages/cargo-crate", "cargo", "a crate from the registry", "cargo run -q", out="1234", preset="agent", needs=("cargo",),
       registry="index.crates.io", files={
           "Cargo.toml": CARGO["Cargo.toml"] + '[dependencies]\nitoa = "=1.0.11"\n',
           "src/main.rs": 'fn main() { println!("{}", itoa::Buffer::new().format(1234)); }\n'})

script("languages/java", "javac, java", "a class is compiled and run; threads and a file of its own", "javac Main.java && java Main",
       out="hello 8 made", needs=("javac",), files={"Main.java": """
import java.nio.file.*;
import java.util.concurrent.*;
public class Main {
  public static void main(String[] arguments) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    Future<Integer> sum = pool.submit(() -> 3 + 5);
    Files.writeString(Path.of("made"), "made");
    System.out.println("hello " + sum.get() + " " + Files.readString(Path.of("made")));
    pool.shutdown();
  }
}
"""})

script("languages/maven", "mvn", "a project is compiled with plugins from Maven Central", """
mvn -q -B -ntp compile >log 2>&1 || tail -5 log
java -cp target/classes Main
""", out="hello", preset="agent", needs=("mvn", "javac"), registry="repo.maven.apache.org", files={"pom.xml": """
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId>
  <artifactId>work</artifactId>
  <version>1</version>
  <properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
</project>
""", "src/main/java/Main.java": 'public class Main { public static void main(String[] a) { System.out.println("hello"); } }\n'})

script("languages/perl", "perl", "a script with modules of the standard library",
       """perl -MList::Util=sum -MFile::Temp=tempfile -e '($f) = tempfile(); print {$f} "x"; printf "%d %s\\n", sum(1..10), $^O'""",
       out="55 linux", needs=("perl",))

script("languages/sqlite", "sqlite3", "a database in the workspace, with write-ahead log and locks", """
sqlite3 data.db 'pragma journal_mode=wal; create table t(n); insert into t values (1), (2); select sum(n) from t;'
sqlite3 data.db 'select count(*) from t'
""", out="wal\n3\n2", needs=("sqlite3",))

script("languages/jq", "jq", "a query over JSON", """echo '{"a": [1, 2, {"b": "c"}]}' | jq -c '.a[2].b, (.a | length)'""", out='"c"\n3', needs=("jq",))
